/** The API server: HTTP in front of the resources. */

export { createApiService } from './api-service.ts'
export { type Audit, type AuditEvent, createAudit } from './audit.ts'
export { type ApiServer, createApiServer } from './create-api-server.ts'
export { createInProcessApi } from './in-process-api.ts'
export { createReviews } from './reviews.ts'
export type { VirtualCall, VirtualResource } from './virtual-resource.ts'
