/**
 * The program that stands between a container and one of its volumes: a file system that passes everything
 * through to the folder below it, except for what the faults say. A process of its own, so that the engine never
 * waits for it and the kernel lets go of all callers should it die.
 */
import { flushCompileCache } from 'node:module'
import { createRandom, createRealClock } from '../../../kit/index.ts'
import { createEffects } from './effects.ts'
import { createSession } from './fuse/session.ts'
import { mountInContainer } from './mount-in-container.ts'
import type { VolumeAnswer, VolumeOrder, VolumeTask } from './volume-messages.ts'

const task: VolumeTask = JSON.parse(process.argv[2] ?? '{}')
const say = (answer: VolumeAnswer): void => {
  process.send?.(answer)
}

process.umask(0)
// Now, while its path still leads where it should.
flushCompileCache()
try {
  const { fd, mountPoint, mountId } = mountInContainer(task)
  const random = createRandom(task.seed)
  const effects = createEffects(random)
  const { volumePath } = task
  const session = createSession({ fd, volumePath, effects, clock: createRealClock(), random })

  process.on('message', (order: VolumeOrder) => {
    if (order.type === 'add') effects.add(order.id, order.rule)
    else {
      effects.remove(order.id)
      session.release(order.id)
    }
    say({ type: 'done', number: order.number })
  })
  // The engine is gone: harm nobody any more, but keep the files within reach.
  process.once('disconnect', () => {
    effects.clear()
    session.release()
  })
  const ended = session.run()
  say({ type: 'mounted', mountPoint, mountId })
  await ended
  process.exit(0)
} catch (error) {
  const { message } = error as Error
  say({ type: 'failed', message })
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
  process.disconnect?.()
}
