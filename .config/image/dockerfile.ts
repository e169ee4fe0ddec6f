// Reads deploy/Dockerfile, the one place that says how the image runs: the configuration of each target.
import { readFileSync } from 'node:fs';

/** `config` of an OCI image. */
export interface ImageConfig {
  User?: string;
  Env?: string[];
  Entrypoint?: string[];
  Cmd?: string[];
  ExposedPorts?: Record<string, object>;
  Volumes?: Record<string, object>;
  Labels?: Record<string, string>;
}

export const targets = ['operator', 'alerts-service'] as const;
export type Target = (typeof targets)[number];

export const dockerfile = new URL('../../deploy/Dockerfile', import.meta.url);

/** Of the stage and those that it builds on. */
export function configOf(target: string, text = readFileSync(dockerfile, 'utf8')): ImageConfig {
  const stages = text
    .replaceAll('\\\n', ' ')
    .split(/^FROM /m)
    .slice(1);
  const stage = stages.find((each) => each.split('\n')[0]?.endsWith(` AS ${target}`));
  if (stage === undefined) return {};
  const [from = '', ...lines] = stage.split('\n');
  const config = configOf(from.split(' ')[0] ?? '', text);
  for (const line of lines) addTo(config, line);
  return config;
}

function addTo(config: ImageConfig, line: string): void {
  const [, keyword, value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
  const words = value.trim().split(/\s+/);
  if (keyword === 'USER') config.User = value;
  if (keyword === 'ENV') config.Env = [...(config.Env ?? []), ...words];
  if (keyword === 'ENTRYPOINT') {
    config.Entrypoint = JSON.parse(value) as string[];
    delete config.Cmd;
  }
  if (keyword === 'CMD') config.Cmd = JSON.parse(value) as string[];
  if (keyword === 'EXPOSE') config.ExposedPorts = Object.fromEntries(words.map((port) => [`${port}/tcp`, {}]));
  if (keyword === 'VOLUME') config.Volumes = Object.fromEntries(words.map((path) => [path, {}]));
  if (keyword === 'LABEL') {
    const pairs = [...value.matchAll(/([\w.]+)="([^"]*)"/g)].map(([, name = '', text = '']) => [name, text]);
    config.Labels = { ...config.Labels, ...(Object.fromEntries(pairs) as Record<string, string>) };
  }
}
