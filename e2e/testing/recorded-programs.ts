/** Models of the programs in the pods of the recorded cluster. */
import type { createSimulatedRuntime } from '#platform/kube'

type Images = NonNullable<Parameters<typeof createSimulatedRuntime>[0]['images']>
type Image = NonNullable<ReturnType<Images>>
type Model = ReturnType<NonNullable<Image['run']>>

const START_FAILURE =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/nonexistent": stat /nonexistent: no such file or directory: unknown'
const PULL_FAILURE =
  'failed to pull and unpack image "127.0.0.1:1/nope:1": failed to resolve reference "127.0.0.1:1/nope:1": failed to do request: Head "http://127.0.0.1:1/v2/nope/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused'

const programOf = (command: string): Model => {
  if (command === '/nonexistent') return { startError: START_FAILURE }
  if (command.includes('x=$x$x')) return { exit: { afterMs: 500, exitCode: 137, reason: 'OOMKilled' } }
  const code = /exit (\d)/.exec(command)?.[1]
  if (code !== undefined) return { exit: { afterMs: 0, exitCode: Number(code), reason: 'Error' } }
  if (/^true|echo ok/.test(command)) return { exit: { afterMs: 50, exitCode: 0, reason: 'Completed' } }
  return {
    // The first process of a container ignores SIGTERM, unless it installs a handler.
    stop: 'ignores',
    probe: ({ action }) => {
      if (action.type === 'exec') return { ok: action.command[0] !== 'false', output: '' }
      if (action.type !== 'tcp') return { ok: true, output: '' }
      return { ok: false, output: `dial tcp ${action.host}:${action.port}: connect: connection refused` }
    },
  }
}

export const recordedPrograms: Images = (image) => {
  if (image !== 'busybox:local') return { pullError: PULL_FAILURE, pullMs: 50 }
  return {
    present: true,
    run: ({ container }) => ({
      startMs: 200,
      ...programOf([...(container.command ?? []), ...(container.args ?? [])].join(' ')),
    }),
  }
}
