/** Starts a simulated cluster as a user does, with `remedium cluster up`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { residentMib } from '../measure/resident-memory.ts'

const ROOT = join(import.meta.dirname, '..', '..')

export interface ClusterProcess {
  url: string
  token: string
  certificateAuthority: string
  /** In a folder that `stop` removes. */
  kubeconfig: string
  residentMib(): number
  stop(): Promise<void>
}

interface Announcement {
  server: string
  kubeconfig: string
  token: string
  certificateAuthority: string
}

const readAnnouncement = (child: ChildProcess): Promise<Announcement> =>
  new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout! })
    let text = ''
    lines.on('line', (line) => {
      text += line
      if (line === '}' || line.endsWith('"}')) resolve(JSON.parse(text) as Announcement)
    })
    child.once('exit', (code) => reject(new Error(`the cluster exited during its start with code ${code}`)))
  })

export const startCluster = async (nodes: number): Promise<ClusterProcess> => {
  const folder = mkdtempSync(join(tmpdir(), 'remedium-bench-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const child = spawn(
    join(ROOT, 'remedium'),
    ['cluster', 'up', '--engine', 'sim', '--json', '--nodes', String(nodes), '--kubeconfig', kubeconfig],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { server, token, certificateAuthority } = await readAnnouncement(child)
  return {
    url: server,
    token,
    certificateAuthority,
    kubeconfig,
    residentMib: () => residentMib(child.pid!),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}
