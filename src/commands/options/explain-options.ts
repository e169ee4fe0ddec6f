// The options of `rolealerts explain`.
import { viewerOptions } from './viewer-options.ts';

const { allNamespaces: _allNamespaces, ...oneNamespace } = viewerOptions;

export const explainOptions = oneNamespace;
