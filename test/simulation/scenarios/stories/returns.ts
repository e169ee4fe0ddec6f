// Policies and namespaces that come back under their names, with other uids and other labels: nothing of what the former ones had is theirs.
import type { Json } from '../../kube/spec-rules.ts';
import { dismissFour } from './entries.ts';
import { active, dismissed, minuteMs, type Scene, secondMs, type Story, team } from './scene.ts';
import { failing } from './script.ts';

const [alice, mallory] = ['alice', 'mallory'];
const hers = 'subscriptions/a';
const cluster = { connectionRef: { kind: 'ClusterRoleAlertConnection', name: 'prod' } };
const through = { ...cluster, namespace: alice, scope: hers };
const everything = { maxMode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' } as const;
const entryOf = (team: string, change: Json = {}): Json => ({
  namespaceSelector: { matchLabels: { team } },
  scopes: [hers],
  ...everything,
  ...change,
});

/** Alice dismissed Alpha, and Mallory may only watch it. */
async function dismiss(scene: Scene): Promise<void> {
  scene.addScope(hers, { Alpha: true, Beta: true });
  scene.connectCluster([entryOf(alice), entryOf(mallory, { deactivation: 'Deny' })]);
  for (const name of [alice, mallory]) scene.addNamespace(name, { team: name });
  scene.declare('quiet', [dismissed('Alpha')], through);
  await scene.start();
  await scene.eventually('a granted dismissal is carried out', 2 * minuteMs, () => !scene.isActive('Alpha', hers));
  await scene.wait(scene.between(1, 200) * secondMs);
}

const reading = new Set(['list', 'watch', 'get']);

/** Takes from the operator the right to read a resource, or gives it back. */
function allowReading(scene: Scene, denied: string | undefined): void {
  scene.world.note(denied === undefined ? '--- everything may be read' : `--- ${denied} may not be read`);
  scene.world.api.isDenied = ({ plural, verb }) => plural === denied && reading.has(verb);
}

const isOn = (scene: Scene) => scene.isActive('Alpha', hers);

export const returns: Readonly<Record<string, Story>> = {
  'a namespace comes back with the names of its dismissals': async (scene) => {
    await dismiss(scene);
    scene.script.watchLagMs = scene.pick(5, 5, 10_000);
    scene.removeNamespace(alice);
    await scene.until(() => !scene.hasNamespace(alice));
    const labels = scene.pick<Readonly<Record<string, string>>>({}, { team: mallory });
    scene.addNamespace(alice, labels);
    scene.declare('quiet', [dismissed('Alpha'), dismissed('Beta')], through);
    if (scene.pick(true, false)) await scene.restart();
    await scene.eventually('a name inherits no grant and no dismissal', 4 * minuteMs, () => isOn(scene));
    await scene.wait(3 * minuteMs);
    scene.promise('what is not granted is not deactivated', isOn(scene) && scene.isActive('Beta', hers));
    scene.script.watchLagMs = 5;
    await scene.wait(2 * minuteMs);
    const reason = scene.readyOf('quiet', alice);
    const expected = labels['team'] === mallory ? 'DeactivationDenied' : 'AccessDenied';
    scene.promise(`the policy shows ${expected}, and not ${String(reason)}`, reason === expected);
  },
  'a policy comes back with the name of its dismissal': async (scene) => {
    await dismiss(scene);
    for (let round = 0; round < 2; round++) {
      scene.script.watchLagMs = scene.pick(5, 5, 20_000);
      scene.remove('rolealertpolicies', 'quiet', alice);
      await scene.wait(scene.pick(0, 0, scene.between(0, 2000)));
      const lines = scene.pick([active('Beta')], [dismissed('Beta')]);
      scene.declare('quiet', lines, through);
      if (scene.pick(true, false, false)) await scene.restart();
      await scene.eventually('a name inherits no dismissal', 4 * minuteMs, () => isOn(scene));
      scene.edit('quiet', { alerts: [dismissed('Alpha')] }, alice);
      await scene.eventually('its own dismissal is carried out', 4 * minuteMs, () => !isOn(scene));
      await scene.wait(scene.between(1, 100) * secondMs);
    }
    scene.script.watchLagMs = 5;
    await scene.wait(4 * minuteMs);
  },
  'a right to read grants that is lost': async (scene) => {
    await dismiss(scene);
    const denied = scene.pick('namespaces', 'clusterrolealertconnections');
    allowReading(scene, denied);
    // Watches that are open stay so for ten minutes.
    await scene.wait(11 * minuteMs);
    if (denied === 'namespaces') scene.label(alice, {});
    else scene.editCluster({ access: [] });
    // A connection that cannot be read is not served, as without an operator; its finalizer keeps it meanwhile.
    if (denied === 'namespaces')
      await scene.eventually('what cannot be read grants nothing', 3 * minuteMs, () => isOn(scene));
    await scene.wait(minuteMs);
    allowReading(scene, undefined);
    await scene.eventually('a grant that is gone is denied', 2 * minuteMs, () => {
      return isOn(scene) && scene.readyOf('quiet', alice) === 'AccessDenied';
    });
    scene.label(alice, { team: alice });
    scene.editCluster({ access: [entryOf(alice)] });
    await scene.eventually('a grant that is back counts', 4 * minuteMs, () => !isOn(scene));
    await scene.wait(4 * minuteMs);
  },
  'a namespace goes with what it dismissed': async (scene) => {
    const { script, world } = scene;
    const areAll = await dismissFour(scene);
    const isService = ({ origin }: { origin: string }) => origin === world.service.origin;
    const mend = scene.pick(true, false)
      ? script.meddle(isService, scene.pick(failing(500), { kind: 'reset' }, failing(403)))
      : () => undefined;
    scene.later(scene.between(1, 30) * secondMs, mend);
    scene.removeNamespace(team);
    await scene.eventually('the namespace goes', 5 * minuteMs, () => !scene.hasNamespace(team));
    scene.promise('no alert of the namespace stays inactive', areAll(true));
  },
};
