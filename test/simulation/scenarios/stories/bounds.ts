// Dismissals at the edge of what may be granted, and lists that show less than there is.
import { active, dismissed, hourMs, minuteMs, one, secondMs, type Story, team } from './scene.ts';
import { failing } from './script.ts';

const incident = {
  id: 'incident-1',
  type: 'TooManyOwnersAssignedToResourceAlertIncident',
  assigneeName: 'Canary Person',
};

export const bounds: Readonly<Record<string, Story>> = {
  'a maximum of incidents far ahead': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect(team, { limits: { maxDismissal: '24h' } });
    scene.declare('quiet', [dismissed('Alpha', scene.between(30, 700) * hourMs, { maxIncidents: 5 })]);
    await scene.start();
    await scene.wait(3 * minuteMs);
  },
  'incidents that the service does not show': async (scene) => {
    scene.addScope(one, { Alpha: true });
    const alert = scene.world.service.find(one, 'Alpha');
    if (alert) Object.assign(alert, { incidents: [incident], hiddenIncidents: scene.pick(1, 2) });
    scene.connect();
    scene.declare('quiet', [dismissed('Alpha', hourMs, { incidents: ['incident-1'] })]);
    await scene.start();
    await scene.wait(3 * minuteMs);
  },
  'a severity that is not known': async (scene) => {
    scene.addScope(one, { Alpha: false });
    const alert = scene.world.service.find(one, 'Alpha');
    if (alert) alert.severity = scene.pick('Catastrophic', 'Unheard-of');
    scene.connect();
    scene.declare('guard', [], { unlisted: { state: 'Active', minSeverity: scene.pick('Medium', 'High') } });
    await scene.start();
    await scene.wait(3 * minuteMs);
  },
  'a list whose second page fails': async (scene) => {
    const names = Array.from({ length: 70 }, (_, index) => `Rule${index}`);
    scene.addScope(one, Object.fromEntries(names.map((name) => [name, true])));
    scene.connect();
    scene.declare('watch', [active('Rule0'), active('Rule69')]);
    await scene.start();
    const isSecond = ({ method, path }: { method: string; path: string }) =>
      method === 'GET' && path.includes('skipToken');
    scene.world.api.onWrite.push((_request, { resource }) => {
      if (resource.plural !== 'rolealertpolicies') return;
      const state = JSON.stringify(scene.policy('watch')?.status ?? {});
      scene.promise('what a whole list holds is never missing', !state.includes('AlertNotFound'));
    });
    for (let round = 0; round < 6; round++) {
      scene.script.meddle(isSecond, failing(scene.pick(500, 503)), scene.pick(1, 2));
      await scene.wait(scene.between(10, 60) * secondMs);
    }
    await scene.wait(10 * minuteMs);
  },
  'more activations than ever end': async (scene) => {
    const names = Array.from({ length: 60 }, (_, index) => `Rule${index}`);
    scene.addScope(one, { ...Object.fromEntries(names.map((name) => [name, false])), Alpha: true });
    scene.connect(team, { limits: { burst: scene.pick(20, 40), requestsPerHour: 7200 } });
    scene.declare('guard', [dismissed('Alpha')], { unlisted: { state: 'Active', minSeverity: 'Low' } });
    let isOver = false;
    scene.world.onCall(({ kind, isActive, alert }) => {
      if (kind === 'patch' && isActive === true && !isOver) scene.later(3 * secondMs, () => scene.turn(alert, false));
    });
    await scene.start();
    const isServed = () => !scene.isActive('Alpha');
    await scene.eventually('a deactivation waits for no endless plan', 15 * minuteMs, isServed);
    isOver = true;
    await scene.wait(15 * minuteMs);
  },
};
