// The contract of the service with its state in PostgreSQL: the cases of the tier `contract`, which run there on SQLite.
import '../contract/service-audit.test.ts';
import '../contract/service-code-flow.test.ts';
import '../contract/service-list.test.ts';
import '../contract/service-scanner.test.ts';
import '../contract/service-sign-in.test.ts';
import '../contract/service-token.test.ts';
import '../contract/service-update.test.ts';
