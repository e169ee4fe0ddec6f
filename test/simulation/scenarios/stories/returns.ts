// Policies and namespaces that come back under their names, with other uids and other labels: nothing of what the former ones had is theirs.
import type { Json } from '../../kube/spec-rules.ts';
import { active, dismissed, minuteMs, type Scene, secondMs, type Story } from './scene.ts';

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
    for (let round = 0; round < 3; round++) {
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
  'an older CRD drops the marks of dismissals': async (scene) => {
    const { unknownMembers } = scene.world.api.writes;
    for (const member of ['dismissedAt', 'dismissalEndpoint']) unknownMembers.add(member);
    scene.addScope(hers, { Alpha: true, Beta: false });
    scene.connectCluster([entryOf(alice)]);
    scene.addNamespace(alice, { team: alice });
    scene.declare('quiet', [dismissed('Alpha'), active('Beta')], through);
    await scene.start();
    await scene.eventually(
      'the policy shows the cause',
      minuteMs,
      () => scene.readyOf('quiet', alice) === 'CRDOutdated',
    );
    scene.promise('what needs no mark is corrected', scene.isActive('Beta', hers));
    const version = () => scene.policy('quiet', alice)?.metadata.resourceVersion;
    const before = version();
    await scene.wait(scene.between(2, 60) * minuteMs);
    scene.promise('nothing is deactivated that cannot be marked', isOn(scene) && scene.sent('Alpha', false) === 0);
    scene.promise('the status is written once', version() === before);
    unknownMembers.clear();
    if (scene.pick(true, false)) scene.request('quiet', alice);
    await scene.eventually('a mark that is stored lets it be sent', 2 * minuteMs, () => !isOn(scene));
  },
};
