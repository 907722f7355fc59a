/**
 * The program that serves a volume of a container: a FUSE file system that passes everything through to the folder
 * below, with the injected faults. It is a separate process, so that the engine never waits for it and the kernel
 * fails all pending calls if it dies.
 */
import { flushCompileCache } from 'node:module'
import { createRandom, createRealClock } from '#kit'
import { createEffects } from '#platform/kube/io-effects'
import { createSession } from './fuse/session.ts'
import { mountInContainer } from './mount-in-container.ts'
import type { VolumeAnswer, VolumeCommand, VolumeTask } from './volume-messages.ts'

const task: VolumeTask = JSON.parse(process.argv[2] ?? '{}')
const sendAnswer = (answer: VolumeAnswer): void => {
  process.send?.(answer)
}

process.umask(0)
// The cache cannot be written after the root has changed.
flushCompileCache()
try {
  const { fd, mountPoint, mountId } = mountInContainer(task)
  const random = createRandom(task.seed)
  const effects = createEffects(random)
  const { volumePath } = task
  const session = createSession({ fd, volumePath, effects, clock: createRealClock(), random })

  process.on('message', (command: VolumeCommand) => {
    if (command.type === 'add') effects.add(command.id, command.rule)
    else {
      effects.remove(command.id)
      session.release(command.id)
    }
    sendAnswer({ type: 'done', number: command.number })
  })
  // The engine has ended: removes all faults but keeps serving the files.
  process.once('disconnect', () => {
    effects.clear()
    session.release()
  })
  const ended = session.run()
  sendAnswer({ type: 'mounted', mountPoint, mountId })
  await ended
  process.exit(0)
} catch (error) {
  const { message } = error as Error
  sendAnswer({ type: 'failed', message })
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
  process.disconnect?.()
}
