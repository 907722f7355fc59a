/** `kubectl attach`: joins the streams of a container's main process. */
import type { Writable } from 'node:stream'
import type { ExecOptions } from '#platform/kube/ports'
import type { ContainerInstance } from '../containers/container-instance.ts'
import { forwardInput } from './forward-streams.ts'

/** Output for a client is dropped above this backlog, so that a slow client does not block the container. */
const MAX_BACKLOG_BYTES = 4 * 2 ** 20

const writeTo = (target: Writable | undefined, chunk: Uint8Array): void => {
  if (target === undefined || target.destroyed || target.writableLength > MAX_BACKLOG_BYTES) return
  target.write(chunk)
}

/** Resolves when the container has ended or the client has disconnected. */
export const attachTo = async (
  instance: ContainerInstance,
  { stdin, stdout, stderr, resize, signal }: Omit<ExecOptions, 'command'>,
): Promise<void> => {
  const { container, terminal } = instance
  // The input closes with the first client only if stdinOnce is set; a terminal stays open.
  const end = container.stdinOnce === true && terminal === undefined
  const stopInput = forwardInput(stdin, instance.stdin ?? terminal?.input, { end })
  const unsubscribe = instance.subscribe((stream, chunk) =>
    writeTo(stream === 'stderr' ? stderr : stdout, chunk),
  )
  resize?.((size) => terminal?.resize(size))
  const disconnected = Promise.withResolvers<void>()
  const onAbort = (): void => disconnected.resolve()
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  await Promise.race([instance.ended, disconnected.promise])
  signal.removeEventListener('abort', onAbort)
  unsubscribe()
  stopInput()
}
