/** Recognises the programs of Simple-Micro in the files of a container, and reads the constants that an agent can change. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lazily } from '#kit'
import { UnsupportedCommand } from '#spec'

interface Constants {
  /** Where the service listens. */
  readonly port: number
}

export type PythonService =
  | (Constants & { readonly kind: 'time-service' })
  | (Constants & {
      readonly kind: 'hello-service'
      /** The address of time-service. */
      readonly peer: { readonly host: string; readonly port: number }
      readonly timeoutMs: number
    })

const PEER = /^HOST, PORT = "([^"\n]*)", (\d+)$/m
const TIMEOUT = /^TIMEOUT_SECONDS = (\d+(?:\.\d+)?)$/m
const SERVE = /^telemetry\.serve\("([\w-]+)", (\d+), Handler\)$/m

/** Programs that differ only in their constants become equal. */
const withoutConstants = (text: string): string =>
  text
    .replace(PEER, 'HOST, PORT')
    .replace(TIMEOUT, 'TIMEOUT_SECONDS')
    .replace(SERVE, 'telemetry.serve("$1")')
    .trimEnd()

const readOriginal = (name: string): string =>
  withoutConstants(readFileSync(join(import.meta.dirname, '..', `${name}.py`), 'utf8'))

const originals = lazily(() => ({
  telemetry: readOriginal('telemetry'),
  time: readOriginal('time-service'),
  hello: readOriginal('hello-service'),
}))

/** Throws UnsupportedCommand for a program other than those of the manifests. */
export const readPythonFile = (text: string, telemetry: string): PythonService => {
  const { telemetry: module, time, hello } = originals()
  const program = withoutConstants(text)
  if (withoutConstants(telemetry) !== module || (program !== time && program !== hello))
    throw new UnsupportedCommand('python3 with a program other than those of the system')
  const port = Number(SERVE.exec(text)![2])
  if (program === time) return { kind: 'time-service', port }
  const [, host = '', peerPort] = PEER.exec(text)!
  return {
    kind: 'hello-service',
    port,
    peer: { host, port: Number(peerPort) },
    timeoutMs: Number(TIMEOUT.exec(text)![1]) * 1000,
  }
}
