// Cases of the tier `contract` whose state is in tables of their own, here in those of PostgreSQL. The rest of the state: store.test.ts.
import '../contract/service-audit.test.ts';
import '../contract/service-scanner.test.ts';
