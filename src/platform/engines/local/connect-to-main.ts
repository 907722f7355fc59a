/** Connects to a port of a pod, if the main process of one of its containers listens there. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { ClusterNetwork, PodProcesses } from '#platform/kube'
import { type PodConnection, type PodRoute, RemediumError } from '#spec'

/** Columns of /proc/net/tcp. */
const [ADDRESS, STATE, INODE] = [1, 3, 9]
/** The value of `STATE` for a listening socket. */
const LISTEN = '0A'

/** Connection errors that the pod causes. */
const POD_ERRORS = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE']

/** Returns the inodes of the sockets that listen on the port in the network namespace of the process. */
const listeningInodes = (pid: number, port: number): string[] => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[STATE] === LISTEN && fields[ADDRESS]?.endsWith(suffix) === true)
      .map((fields) => fields[INODE]!),
  )
}

const linkTargetOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    // The descriptor was closed in the meantime.
    return ''
  }
}

const hasSocket = (pid: number, inode: string): boolean =>
  readdirSync(`/proc/${pid}/fd`).some((fd) => linkTargetOf(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`)

/** Throws if no process listens on the port, or if a process other than the pod's main processes does. */
export const checkListener = (mainPids: readonly number[], port: number): void => {
  const inodes = mainPids.length === 0 ? [] : listeningInodes(mainPids[0]!, port)
  if (inodes.length === 0) throw new Error(`no program listens on port ${port}`)
  // With SO_REUSEPORT, several sockets can share the port: each must belong to a main process.
  if (!inodes.every((inode) => mainPids.some((pid) => hasSocket(pid, inode))))
    throw new Error(`a program other than the container's own listens on port ${port}`)
}

export const connectToMain =
  ({ network, processes }: { network: Pick<ClusterNetwork, 'connectLocal'>; processes: PodProcesses }) =>
  async (uid: string, port: number, via: PodRoute): Promise<PodConnection> => {
    const pod = processes.find(uid)
    if (pod === undefined) throw new Error(`the pod ${uid} is not running`)
    try {
      checkListener(
        pod.containers.map(({ pid }) => pid),
        port,
      )
    } catch (error) {
      // The main process has ended.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error('the container is not running')
      throw error
    }
    try {
      const socket = await network.connectLocal(uid, port, via === 'loopback' ? '127.0.0.1' : pod.ip)
      return { kind: 'socket', socket }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (POD_ERRORS.includes(code ?? '') || processes.find(uid) === undefined) throw error
      throw new RemediumError('cluster-lost', `The engine cannot connect to a pod: ${message}.`, {
        cause: error,
      })
    }
  }
