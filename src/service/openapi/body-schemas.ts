// The schemas of the bodies: a page of a list, an update, an error.
import type { Schema } from './document-types.ts';
import { ref } from './vocabulary.ts';

export const alertListResult: Schema = {
  type: 'object',
  description: 'One page of the alerts of a scope (section 2.6).',
  required: ['value'],
  properties: {
    value: { type: 'array', items: ref('Alert'), description: 'Alerts on this page.' },
    nextLink: {
      type: 'string',
      format: 'uri',
      description:
        'Link to the next page, on the public URL of the service or, without one, the origin of this request; absent on the last page. Follow it unchanged.',
    },
  },
};

/** The complete body: other members are refused, because a misinterpretation could deactivate an alert. */
export const alertUpdate: Schema = {
  type: 'object',
  description: 'The body of an update: only the active flag (section 4.2). No member may be repeated.',
  required: ['properties'],
  additionalProperties: false,
  properties: {
    properties: {
      type: 'object',
      required: ['isActive'],
      additionalProperties: false,
      properties: { isActive: { type: 'boolean', description: 'False deactivates the alert.' } },
    },
  },
  example: { properties: { isActive: true } },
};

export const errorSchema: Schema = {
  type: 'object',
  description: 'The body of every error response (sections 2.8 and 7).',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'Invariant identifier, meant to be consumed programmatically.' },
        message: { type: 'string', description: 'Message suitable for display in a user interface.' },
      },
    },
  },
};
