/**
 * The standard health service, which says SERVING as long as the process answers at all: the originals' servers are as
 * easily contented.
 */
import { toFrame, toJsonFrame } from './grpc-message.ts'

const CHECK = '/grpc.health.v1.Health/Check'

/** HealthCheckResponse: field 1, varint 1 (SERVING). */
const SERVING = toFrame(Buffer.from([0x08, 0x01]))

/** The answer's frame where the path is that of the health check, in the codec of the request. */
export const answerHealthCheck = (path: string, isJson: boolean): Buffer | undefined => {
  if (path !== CHECK) return undefined
  return isJson ? toJsonFrame({ status: 'SERVING' }) : SERVING
}
