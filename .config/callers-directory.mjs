// Preloaded by `npm run rolealerts`: npm starts a script in the checkout, and the paths of a command line are relative to the folder of its caller.
process.chdir(process.env.INIT_CWD ?? '.');
