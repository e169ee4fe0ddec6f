// The exit codes of every command, once: the help and the reference page are generated from them.

/** `remains`: changes or work remain. `usage` is EX_USAGE of sysexits.h, so that a pipeline does not take a typing error for changes. */
export const exitCodes = { success: 0, failed: 1, remains: 2, usage: 64 } as const;

/** What the exit codes of one command mean, where that is more specific than success, failure and wrong usage. */
export interface Exits {
  readonly success?: string;
  readonly failed?: string;
  /** Absent: the command never ends with this code. */
  readonly remains?: string;
}

/** The line of a help: `Exit codes: 0 success, 1 failed, 64 wrong usage.` */
export function renderExits({ success = 'success', failed = 'failed', remains }: Exits): string {
  const texts = [`${exitCodes.success} ${success}`, `${exitCodes.failed} ${failed}`];
  if (remains !== undefined) texts.push(`${exitCodes.remains} ${remains}`);
  return `Exit codes: ${texts.join(', ')}, ${exitCodes.usage} wrong usage.`;
}

/** The table of the reference page. */
export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  success:
    'success, also of a command that runs until a signal stops it; of a command that previews or checks: nothing to do',
  failed:
    'failed or could not tell; of a command that checks: something is wrong; also when a signal stops it before its result, and after a second signal',
  remains: 'changes or work remain, of the commands whose help lists this code',
  usage: 'wrong usage: an unknown command or option, a wrong value, or a file that an option names and that is wrong',
};
