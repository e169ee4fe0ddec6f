// What other clients of the service and its scanner do to alerts and scopes.
import { drawAlert, drawIncidents, type ScenarioAction } from './generators.ts';
import { pick } from './schema-walker.ts';

export const servingActions: Readonly<Record<string, ScenarioAction>> = {
  drift: ({ world, random, place }) =>
    world.service.turn(
      pick(random, place.scopes),
      pick(random, place.alertNames),
      random.next() < 0.4,
      pick(random, ['User', 'Key', 'Application']),
    ),
  scan: ({ world, random, place }) =>
    world.service.scan(pick(random, place.scopes), pick(random, place.alertNames), drawIncidents(random)),
  're-raise': ({ world, random, place }) =>
    world.service.scan(
      pick(random, place.scopes),
      pick(random, place.alertNames),
      drawIncidents(random),
      random.next() < 0.7,
    ),
  'alert goes': ({ world, random, place }) =>
    world.service.removeAlert(pick(random, place.scopes), pick(random, place.alertNames)),
  'alert comes': (generators) => {
    const [scope, name] = [
      pick(generators.random, generators.place.scopes),
      pick(generators.random, generators.place.alertNames),
    ];
    if (!generators.world.service.find(scope, name))
      generators.world.service.addAlert(scope, drawAlert(generators, name));
  },
  'scope goes for a while': ({ world, random, place }) => {
    const scope = pick(random, place.scopes);
    const alerts = world.service.alertsOf(scope);
    if (!alerts) return;
    world.service.removeScope(scope);
    world.time.schedule(random.next() * 120_000, () => world.service.addScope(scope, alerts));
  },
  'incidents unseen': ({ world, random, place }) => {
    const alert = world.service.find(pick(random, place.scopes), pick(random, place.alertNames));
    if (alert) alert.hiddenIncidents = Math.floor(random.next() * 3);
  },
  'severity changes': ({ world, random, place }) => {
    const alert = world.service.find(pick(random, place.scopes), pick(random, place.alertNames));
    if (alert) alert.severity = pick(random, ['Low', 'High', 'Unheard-of']);
  },
};
