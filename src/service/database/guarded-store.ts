// The stores with failures of the disk as `DataFileError`s, which name the file and, for alerts, the scope and the alert.
import { cleanText } from '../../lib/clean-text.ts';
import { messageOf } from '../../lib/errors.ts';
import { recoverOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { AlertStore } from '../alerts/alert-store.ts';
import { DataFileError } from './data-file-error.ts';
import type { Sql } from './sql.ts';
import { troubleOf } from './sqlite-failure.ts';

/** What a call was about, for the message. */
interface Place {
  readonly scope?: string;
  readonly alertName?: string;
}

/** `file` is for messages. */
export function guardStore(store: AlertStore, file: string): AlertStore {
  const guard = <T>(place: Place, work: () => MaybePromise<T>): MaybePromise<T> =>
    recoverOrNow(work, (error) => {
      throw asDataFileError(error, file, place);
    });
  return {
    isEmpty: () => guard({}, () => store.isEmpty()),
    readPage: (page) => guard({ scope: page.scope }, () => store.readPage(page)),
    readAlert: (scope, alertName) => guard({ scope, alertName }, () => store.readAlert(scope, alertName)),
    changeActive: (change) => guard(change, () => store.changeActive(change)),
    removeScope: (scope) => guard({ scope }, () => store.removeScope(scope)),
    addScope: (scope) => guard({ scope }, () => store.addScope(scope)),
    putAlert: (scope, alert) => guard({ scope, alertName: alert.name }, () => store.putAlert(scope, alert)),
    removeAlert: (scope, alertName) => guard({ scope, alertName }, () => store.removeAlert(scope, alertName)),
    replaceIncidents: (scope, alertName, incidents, nowMs) =>
      guard({ scope, alertName }, () => store.replaceIncidents(scope, alertName, incidents, nowMs)),
    countAlerts: () => guard({}, () => store.countAlerts()),
    transaction: (work) => guard({}, () => store.transaction(work)),
  };
}

/** `file` is for messages. */
export function guardSql(sql: Sql, file: string): Sql {
  const fail = (error: unknown) => {
    throw asDataFileError(error, file);
  };
  return {
    query: (text, parameters) => sql.query(text, parameters).catch(fail),
    transaction: (work) => sql.transaction(work).catch(fail),
  };
}

/** A failure of the disk as a `DataFileError`; any other error unchanged. */
function asDataFileError(error: unknown, file: string, place: Place = {}): unknown {
  // The checksum of a document does not cover `systemData`, which an update parses.
  const trouble = error instanceof SyntaxError ? 'damaged' : troubleOf(error);
  if (trouble === undefined) return error;
  const facts = { cause: error };
  if (trouble === 'full') return new DataFileError('data-file-full', `The disk of the data file ${file} is full.`);
  const text = `${nameOf(place)}: ${messageOf(error)}.`;
  if (trouble === 'damaged') {
    return new DataFileError('data-file-damaged', `The data file ${file} is damaged${text}`, facts);
  }
  return new DataFileError('data-file-failed', `The data file ${file} failed${text}`, facts);
}

function nameOf({ scope, alertName }: Place): string {
  if (scope === undefined) return '';
  const inScope = `the scope ${cleanText(scope)}`;
  return alertName === undefined ? ` in ${inScope}` : ` in the alert ${cleanText(alertName)} of ${inScope}`;
}
