/** `kubectl attach`: joins the streams of a container's main process. */
import type { Writable } from 'node:stream'
import type { ExecOptions } from '../../ports/index.ts'
import { carryInput } from './carry-streams.ts'
import type { ContainerInstance } from './container-instance.ts'

/** A client that is further behind is left behind: the container must not wait for it. */
const MOST_WAITING = 4 * 2 ** 20

const writeTo = (target: Writable | undefined, chunk: Uint8Array): void => {
  if (target === undefined || target.destroyed || target.writableLength > MOST_WAITING) return
  target.write(chunk)
}

/** Resolves when the container or the client has ended. */
export const attachTo = async (
  instance: ContainerInstance,
  { stdin, stdout, stderr, resize, signal }: Omit<ExecOptions, 'command'>,
): Promise<void> => {
  const { container, terminal } = instance
  // Only what says stdinOnce ends with its first visitor; a terminal never does.
  const end = container.stdinOnce === true && terminal === undefined
  const stopInput = carryInput(stdin, instance.stdin ?? terminal?.input, { end })
  const unsubscribe = instance.subscribe((stream, chunk) =>
    writeTo(stream === 'stderr' ? stderr : stdout, chunk),
  )
  resize?.((size) => terminal?.resize(size))
  const left = Promise.withResolvers<void>()
  const leave = (): void => left.resolve()
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })

  await Promise.race([instance.ended, left.promise])
  signal.removeEventListener('abort', leave)
  unsubscribe()
  stopInput()
}
