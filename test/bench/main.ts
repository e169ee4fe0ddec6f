// `npm run bench`: the cost of the operator, in counts and relative to a baseline of the same run. Times are printed
// for information; only wrong counts make it fail.
import { measureCounts } from './counts.ts';
import { openSetup } from './setup.ts';
import { measureSpeed } from './speed.ts';
import { renderRows } from './table.ts';

const setup = await openSetup();
try {
  const counts = await measureCounts(setup);
  console.log(renderRows(counts.title, counts.rows));
  const speed = await measureSpeed(setup);
  console.log(renderRows(speed.title, speed.rows));
  const wrong = [...counts.rows, ...speed.rows].filter(({ isWrong }) => isWrong === true);
  for (const { name, value, goal } of wrong) console.error(`wrong: ${name} is ${value}, not ${goal}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await setup.stop();
}
