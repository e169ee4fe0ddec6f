// The response to a request whose operation failed. The log has the reason.
import { DataFileError } from '../database/data-file-error.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { ServiceResponse } from './message.ts';
import { errorResponse, unavailable } from './service-errors.ts';

export function failureResponse(error: unknown): ServiceResponse {
  if (error instanceof DatabaseError) return databaseUnavailable();
  if (!(error instanceof DataFileError)) return errorResponse('InternalError', 'The service failed.');
  if (error.code === 'data-file-damaged') {
    return errorResponse('StorageDamaged', 'What the service has stored here is damaged. Its log names the place.');
  }
  if (error.code === 'data-file-full') {
    return errorResponse('StorageFull', 'The service has no space to store this. It can still be read.');
  }
  return errorResponse('InternalError', 'The service failed.');
}

function databaseUnavailable(): ServiceResponse {
  const message = 'The database is not available. Send the request again; an update may have taken effect.';
  return unavailable(message);
}
