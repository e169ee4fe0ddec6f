// The options of `rolealerts replay`.
import { outputOption } from './output-option.ts';

export const replayOptions = {
  output: outputOption(['text', 'json']),
};
