/** The standard health service. It answers SERVING as long as the process runs, as the originals do. */
import { toFrame, toJsonFrame } from './grpc-message.ts'

const CHECK = '/grpc.health.v1.Health/Check'

/** HealthCheckResponse: field 1, varint 1 (SERVING). */
const SERVING_FRAME = toFrame(Buffer.from([0x08, 0x01]))

export const SERVING = { status: 'SERVING' } as const

export const isHealthCheck = (path: string): boolean => path === CHECK

/** Returns the response frame in the codec of the request; undefined for other paths. */
export const answerHealthCheck = (path: string, isJson: boolean): Buffer | undefined => {
  if (!isHealthCheck(path)) return undefined
  return isJson ? toJsonFrame(SERVING) : SERVING_FRAME
}
