// A person activates again and again what a policy dismisses, and something keeps the count of it from being recorded.
import { dismissed, minuteMs, one, type Scene, type Story, team } from './scene.ts';
import { failing, isStatusWrite } from './script.ts';

function begin(scene: Scene): void {
  scene.addScope(one, { Alpha: true, Beta: true });
  scene.connect();
  const damping = { window: scene.pick('30m', '2h'), maxDeactivations: scene.pick(1, 2, 3) };
  scene.declare('quiet', [dismissed('Alpha')], { damping });
}

function quarrel(scene: Scene, delayMs: number): void {
  scene.onDeactivated(({ alert }) => scene.later(delayMs, () => scene.turn(alert, true)));
}

export const quarrels: Readonly<Record<string, Story>> = {
  'a quarrel about one alert': async (scene) => {
    begin(scene);
    quarrel(scene, scene.pick(0, 600, 3000, 20_000));
    await scene.start();
    // Longer than the hour of the connection.
    await scene.wait(70 * minuteMs);
  },
  'a quarrel while no status can be written': async (scene) => {
    begin(scene);
    quarrel(scene, scene.pick(0, 600, 3000));
    const mend = scene.script.meddle((request) => isStatusWrite(request, 'rolealertpolicies'), failing(500));
    await scene.start();
    await scene.wait(40 * minuteMs);
    mend();
    await scene.wait(5 * minuteMs);
  },
};

/** After all other stories, so that their seeds remain. */
export const waitingQuarrels: Readonly<Record<string, Story>> = {
  'a deactivation waits between its entry and its send': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect();
    scene.declare('quiet', [dismissed('Alpha')], { damping: { window: '30m', maxDeactivations: 1 } });
    const answerDelayMs = scene.between(6, 9) * 1000;
    const isRecorded = (request: Parameters<typeof isStatusWrite>[0]) => isStatusWrite(request, 'rolealertconnections');
    const mend = scene.script.meddle(isRecorded, { kind: 'deliver', answerDelayMs });
    await scene.start();
    await scene.until(() => !scene.isActive('Alpha'));
    mend();
    await scene.wait(minuteMs);
    scene.turn('Alpha', true);
    await scene.wait(40 * minuteMs);
  },
  'a quarrel that takes each deactivation of the hour': async (scene) => {
    scene.addScope(one, { Alpha: true, Beta: true });
    scene.connect(team, { limits: { deactivationsPerHour: 1 } });
    const damping = { window: scene.pick('2h', '6h'), maxDeactivations: 100 };
    scene.declare('quiet', [dismissed('Alpha'), dismissed('Beta')], { damping });
    scene.onDeactivated(({ alert }) => {
      if (alert === 'Alpha') scene.later(scene.pick(0, 600), () => scene.turn(alert, true));
    });
    await scene.start();
    await scene.eventually('the other alert has its turn', 130 * minuteMs, () => !scene.isActive('Beta'));
  },
};
