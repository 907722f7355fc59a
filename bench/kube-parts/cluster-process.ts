/** A cluster in a process of its own, started as a user starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const ROOT = join(import.meta.dirname, '..', '..')

export interface ClusterProcess {
  pid: number
  url: string
  token: string
  certificateAuthority: string
  /** Alone in a folder that is gone after `stop`. */
  kubeconfig: string
  /** Resident memory in MB. */
  resident(): number
  stop(): Promise<void>
}

interface Announcement {
  server: string
  kubeconfig: string
  token: string
  certificateAuthority: string
}

const firstLine = (child: ChildProcess): Promise<Announcement> =>
  new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout! })
    let text = ''
    lines.on('line', (line) => {
      text += line
      if (line === '}' || line.endsWith('"}')) resolve(JSON.parse(text) as Announcement)
    })
    child.once('exit', (code) => reject(new Error(`the cluster ended at once with code ${code}`)))
  })

const residentOf = (pid: number): number => {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1] ?? 0) / 1024
}

export const startCluster = async (nodes: number): Promise<ClusterProcess> => {
  const folder = mkdtempSync(join(tmpdir(), 'remedium-bench-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const child = spawn(
    join(ROOT, 'remedium'),
    ['cluster', 'up', '--engine', 'sim', '--json', '--nodes', String(nodes), '--kubeconfig', kubeconfig],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const announced = await firstLine(child)
  return {
    pid: child.pid!,
    url: announced.server,
    token: announced.token,
    certificateAuthority: announced.certificateAuthority,
    kubeconfig,
    resident: () => residentOf(child.pid!),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}
