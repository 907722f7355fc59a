/** The API server: the resources over HTTP and in process. */

export { createApiService } from './api-service.ts'
export { type Audit, type AuditEvent, createAudit } from './audit/audit.ts'
export { type ApiServer, createApiServer } from './http/create-api-server.ts'
export { createInProcessHttp } from './in-process/create-in-process-http.ts'
export { createInProcessApi } from './in-process/in-process-api.ts'
export { createInProcessDiscovery } from './in-process/in-process-discovery.ts'
export { createReviews } from './reviews/create-reviews.ts'
export type { VirtualCall, VirtualResource } from './reviews/virtual-resource.ts'
