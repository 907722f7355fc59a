/** Makes a job server that keeps hosts open between jobs, and closes a host on which a job failed. */
import { toRemediumError } from '#spec'
import { createHostKeeper, type HostKeeper } from './host-keeper.ts'
import type { JobContext, JobServer } from './serve-jobs.ts'
import { whenAborted } from './when-aborted.ts'

/** Whether a host must be closed after a failed job. A provider that did not answer has not touched the cluster. */
export const mayHaveBrokenHost = (thrown: unknown): boolean => toRemediumError(thrown).blame !== 'provider'

export const serveOnHosts = <J, R>(
  run: (job: J, context: JobContext<R>, hosts: HostKeeper) => Promise<void>,
  hosts: HostKeeper = createHostKeeper(),
): JobServer<J, R> => ({
  close: hosts.close,
  async run(job, context) {
    try {
      await Promise.race([run(job, context, hosts), whenAborted(context.signal)])
    } catch (error) {
      if (mayHaveBrokenHost(error)) await hosts.close().catch(() => {})
      throw error
    }
  },
})
