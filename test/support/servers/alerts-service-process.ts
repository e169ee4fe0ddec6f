// The alerts service as a process of its own, for tests that kill it: `node alerts-service-process.ts DATA SEED`. DATA is a file,
// or the URL of a PostgreSQL database.
// Prints its URL in one line and ends when its standard input does, so that it never outlives the test.
// Its tokens are for a public address, so that they are good on whatever port it gets next.
import { SecretText } from '../../../src/lib/secret-text.ts';
import { startAlertsService } from '../../../src/service/server.ts';
import { serviceOptions } from './alerts-service.ts';

const [dataFile = '', seedFile = ''] = process.argv.slice(2);
const state = dataFile.startsWith('postgres:') ? { databaseURL: new SecretText(dataFile) } : { dataFile };
const service = await startAlertsService(serviceOptions({ ...state, seedFile, publicURL: 'http://service.test' }));
process.stdout.write(`${service.url}\n`);
process.stdin.resume().once('end', () => void service.stop());
