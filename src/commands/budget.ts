// `rolealerts budget`: what connections need of their rate limits, now and after a change.
import { lineColumns } from '../lib/output.ts';
import { defineCommand } from './command.ts';
import { readDeclared } from './declared.ts';
import { descriptions } from './descriptions.ts';
import { exitCodes } from './exit-codes.ts';
import { budgetOptions } from './options/budget-options.ts';
import { budgetJson } from './report/budget-json.ts';
import { budgetText } from './report/budget-text.ts';
import { budgetNotes, budgetsOf, isWithinBudget } from './report/budget.ts';
import { inFormat } from './report/in-format.ts';

export const budgetCommand = defineCommand({
  name: 'budget',
  description: descriptions.budget,
  more: `Reads policies and connections with your kubeconfig, or from files. The need is that of the condition Capacity: lists while
nothing drifts. A correction costs a PATCH and another list. Policies in files count as if their connections grant them access.`,
  examples: [
    'rolealerts budget -A',
    'rolealerts budget -f policies/ --interval 5m',
    'rolealerts budget -f connection.yaml --scopes 5000 -o json',
  ],
  exits: {
    success: 'every limit suffices',
    remains: 'a limit does not suffice, with --interval or --scopes after that change',
  },
  options: budgetOptions,
  async run({ interval, scopes, pages, defaultInterval, output, ...values }, host) {
    const declared = await readDeclared(values, host);
    const change = interval === undefined && scopes === undefined ? undefined : { intervalMs: interval, scopes };
    const budgets = budgetsOf({ ...declared, defaultMs: defaultInterval, pages, change });
    for (const note of budgetNotes(declared)) host.err.write(`rolealerts: ${note}\n`);
    const text = () => budgetText(budgets, lineColumns(host.out));
    host.out.write(inFormat(output, () => budgetJson(budgets), text));
    return isWithinBudget(budgets) ? exitCodes.success : exitCodes.remains;
  },
});
