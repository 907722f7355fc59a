/** Tests the inspection of containers: the settings of processes, and the files in their mounts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listFiles } from './container-files.ts'
import { readSettings } from './process-settings.ts'

const startProcess = async (command: string, ...args: string[]): Promise<number> => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child.pid!
}

it('reads the settings of a process', async () => {
  const script = 'ulimit -n 64; echo 1000 > /proc/$$/oom_score_adj; echo ready; :'
  const pid = await startProcess('sh', '-c', `renice -n 19 -p $$ > /dev/null; ${script}; sleep 60`)
  const [settings] = readSettings(pid)
  expect(settings).toMatchObject({ id: pid, isStopped: false, nice: 19, oomScoreAdj: 1000 })
  expect(settings!.limits['Max open files']).toEqual([64, 64])
  expect(settings!.cpus).toMatch(/^\d/)
})

it('finds that a process is stopped, and that it has ended', async () => {
  const pid = await startProcess('sh', '-c', 'echo ready; while :; do sleep 1; done')
  process.kill(pid, 'SIGSTOP')
  await expect.poll(() => readSettings(pid)[0]?.isStopped).toBe(true)
  process.kill(pid, 'SIGCONT')
  await expect.poll(() => readSettings(pid)[0]?.isStopped).toBe(false)
  expect(readSettings(2 ** 30)).toEqual([])
})

/** A root file system with a volume, and with an overlay over a folder with two files. The programs are read-only. */
const CONTAINER_SCRIPT = [
  'mkdir lower upper work volume root; echo image > lower/program; echo image > lower/other',
  'mount -t tmpfs tmpfs root; cd root; mkdir usr proc old data opt; ln -s usr/bin bin; ln -s usr/lib lib; ln -s usr/lib64 lib64',
  'mount --bind /usr usr; mount -o remount,bind,ro usr; mount --bind ../volume data; mount -t proc proc proc',
  'mount -t overlay overlay -o lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work opt',
  'pivot_root . old; umount -l old',
  'rm opt/program; echo new > opt/added; echo kept > data/kept; : > data/empty; echo own > own',
  'echo ready; sleep 60',
].join('; ')

it('lists files of volumes, and those that an overlay changed', async () => {
  // The upper layer of an overlay cannot be in another overlay, such as that of this machine.
  const folder = mkdtempSync('/dev/shm/inspect-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const pid = await startProcess('unshare', '--mount', 'sh', '-c', `cd $1; ${CONTAINER_SCRIPT}`, 'sh', folder)
  expect(listFiles(pid)).toEqual({
    files: ['/data/kept', '/opt/added', '/own'],
    deletedFiles: ['/opt/program'],
    usedBytes: expect.any(Number),
  })
  rmSync(join(folder, 'volume', 'kept'))
  expect(listFiles(pid).files).toEqual(['/opt/added', '/own'])
  writeFileSync(join(folder, 'volume', 'large'), Buffer.alloc(2 ** 20))
  expect(listFiles(pid).usedBytes).toBeGreaterThanOrEqual(2 ** 20)
})

it('lists no files of a process that has ended', () => {
  expect(listFiles(2 ** 30)).toEqual({ deletedFiles: [], usedBytes: 0 })
})
