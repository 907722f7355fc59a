/** The engine's end of the program that serves a volume. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { IoRule } from './effects.ts'
import type { VolumeAnswer, VolumeOrder, VolumeTask } from './volume-messages.ts'

const PROGRAM = fileURLToPath(new URL('./serve-volume.ts', import.meta.url))
/** One of them is for the kernel's requests, the others for slow disks. */
const THREADS = '16'
const LONGEST_COMPLAINT = 2000

export interface VolumeServer {
  readonly mountPoint: string
  readonly mountId: number
  /** Rejects when the program has died. */
  add(id: number, rule: IoRule): Promise<void>
  /** Nobody is hit from now on. Resolves too when the program has died. */
  remove(id: number): Promise<void>
  /** Resolves when it has ended, which it does once nobody holds on to its mount. */
  readonly ended: Promise<void>
  /** Leaves it to itself. */
  abandon(): void
}

const start = (task: VolumeTask, environment: Readonly<Record<string, string>>): ChildProcess =>
  fork(PROGRAM, [JSON.stringify(task)], {
    env: { ...process.env, UV_THREADPOOL_SIZE: THREADS, ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    cwd: '/',
  })

/** Resolves when the volume is mounted. Tells `onError` when the program ends after that and not as it should. */
export const createVolumeServer = (
  task: VolumeTask,
  environment: Readonly<Record<string, string>>,
  onError: (error: Error) => void,
): Promise<VolumeServer> =>
  new Promise((resolve, reject) => {
    const child = start(task, environment)
    const pending = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
    let lastOrder = 0
    let complaint = ''
    let mounted = false
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-LONGEST_COMPLAINT)
    })

    const ended = new Promise<void>((settle) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        const error = new Error(
          `the program that serves ${task.volumePath} ended with ${signal ?? code}: ${complaint.trim()}`,
        )
        for (const order of pending.values()) order.reject(error)
        pending.clear()
        reject(error)
        if (mounted && code !== 0) onError(error)
        settle()
      })
    })

    const tell = (order: VolumeOrder): Promise<void> =>
      new Promise((done, fail) => {
        if (!child.connected) return fail(new Error(`the program that serves ${task.volumePath} is gone`))
        pending.set(order.number, { resolve: done, reject: fail })
        // What cannot be sent is settled by the exit.
        child.send(order, () => {})
      })

    child.on('message', (answer: VolumeAnswer) => {
      if (answer.type === 'failed') reject(new Error(`${task.volumePath}: ${answer.message}`))
      if (answer.type === 'done') {
        pending.get(answer.number)?.resolve()
        pending.delete(answer.number)
      }
      if (answer.type !== 'mounted') return
      mounted = true
      const nextOrder = (id: number) => {
        lastOrder += 1
        return { number: lastOrder, id }
      }
      resolve({
        mountPoint: answer.mountPoint,
        mountId: answer.mountId,
        add: (id, rule) => tell({ ...nextOrder(id), type: 'add', rule }),
        remove: (id) => tell({ ...nextOrder(id), type: 'remove' }).catch(() => {}),
        ended,
        abandon() {
          if (child.connected) child.disconnect()
          child.unref()
        },
      })
    })
  })
