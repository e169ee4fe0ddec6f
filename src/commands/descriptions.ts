// What each command does, in the order of the help. They are apart from the commands, so that the help of the program loads none of them.

export const descriptions = {
  controller: 'Run the operator: watch policies and keep the alerts of their scopes in the declared state.',
  serve: 'Run the alerts service (role-management alerts API, 2022-08-01-preview); --data makes its state persistent.',
  login: 'Sign in to an alerts service with a browser and store the token.',
  status: 'Show the fleet: what needs attention, fires, ends and needs requests, as text, data or a page.',
  ui: 'Show the fleet as a page in your browser that follows the cluster.',
  trace: 'Trace a policy to its alerts and name what blocks it; show the conditions of a connection; explain a reason.',
  reconcile: 'Request a reconcile of policies now.',
  suspend: 'Suspend policies: the operator then neither lists nor corrects their alerts.',
  resume: 'Resume suspended policies.',
  plan: 'Show what the operator would change, and why it would change nothing; --activate sends the activations.',
  doctor: 'Check the cluster, the operator and the way to each service, and name a fix for each failure.',
  validate: 'Check manifests of policies and connections without a cluster, as an API server would.',
  export: 'Write policies that declare the live alerts of scopes in the states that they have.',
  replay: 'Decide again on recorded plans with this version, and show every difference.',
  demo: 'Start a control plane, the alerts service, the operator and sample policies, and show how they converge.',
  local: 'Manage a local Kubernetes control plane for trials.',
  completion: 'Print the script that lets bash, zsh or fish complete the command line.',
  version: 'Show the version of this program.',
} as const;
