/** The standard health service. It answers SERVING as long as the process runs, as the originals do. */
import { toFrame, toJsonFrame } from './grpc-message.ts'

const CHECK = '/grpc.health.v1.Health/Check'

/** HealthCheckResponse: field 1, varint 1 (SERVING). */
const SERVING = toFrame(Buffer.from([0x08, 0x01]))

/** Returns the response frame in the codec of the request; undefined for other paths. */
export const answerHealthCheck = (path: string, isJson: boolean): Buffer | undefined => {
  if (path !== CHECK) return undefined
  return isJson ? toJsonFrame({ status: 'SERVING' }) : SERVING
}
