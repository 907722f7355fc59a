/** The queue of the writers of a MySQL server: statements run in batches, all other jobs run alone. */
import type { StoreHost } from '../../store-host.ts'
import type { Outcome } from '../databases.ts'
import { MysqlError, toMysqlError } from '../mysql-error.ts'

const LOCK_WAIT_MS = 50_000

export interface Write {
  readonly database: string
  readonly sql: readonly string[]
  readonly done: (outcome: Outcome) => void
  readonly failed: (error: unknown) => void
}

/** A job that runs alone. */
type Exclusive = () => Promise<void>

type Job = Write | Exclusive

export class WriteQueue {
  readonly #time: StoreHost['time']
  readonly #writeBatch: (writes: readonly Write[]) => Promise<void>
  readonly #jobs: Job[] = []
  #running: Promise<void> | undefined

  constructor(time: StoreHost['time'], writeBatch: (writes: readonly Write[]) => Promise<void>) {
    this.#time = time
    this.#writeBatch = writeBatch
  }

  /** Runs statements on tables. Rejects with a MysqlError. */
  write(database: string, sql: readonly string[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#time.after(LOCK_WAIT_MS, () => {
        const at = this.#jobs.indexOf(job)
        if (at < 0) return
        this.#jobs.splice(at, 1)
        reject(new MysqlError(1205, 'HY000', 'Lock wait timeout exceeded; try restarting transaction'))
      })
      const job: Write = {
        database,
        sql,
        done: (outcome) => {
          cancelTimeout()
          resolve(outcome)
        },
        failed: (error) => {
          cancelTimeout()
          reject(toMysqlError(error, database))
        },
      }
      this.add(job)
    })
  }

  /** Runs a job while no other one runs. */
  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.add(() => work().then(resolve, reject))
    })
  }

  add(job: Job): void {
    this.#jobs.push(job)
    this.#running ??= this.#runJobs()
  }

  async #runJobs(): Promise<void> {
    await Promise.resolve()
    while (this.#jobs.length > 0) {
      const first = this.#jobs[0]!
      if (typeof first === 'function') {
        this.#jobs.shift()
        await first()
        continue
      }
      const end = this.#jobs.findIndex((job) => typeof job === 'function')
      await this.#writeBatch(this.#jobs.splice(0, end < 0 ? this.#jobs.length : end) as Write[])
    }
    this.#running = undefined
  }

  /** Resolves when all jobs have ended; undefined if there are none. */
  ended(): Promise<void> | undefined {
    return this.#running
  }
}
