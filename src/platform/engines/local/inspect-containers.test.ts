/** Tests the inspection of containers: the settings of processes, and the files in their mounts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
  const pid = await startProcess(
    'sh',
    '-c',
    `renice -n 19 -p $$ > /dev/null; chrt -b -p 0 $$; ${script}; sleep 60`,
  )
  const [settings] = readSettings(pid)
  expect(settings).toMatchObject({
    id: pid,
    isStopped: false,
    nice: 19,
    scheduling: '3:0',
    oomScoreAdj: 1000,
  })
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
  'echo names > data/hosts; mkdir etc; : > etc/hosts; mount --bind data/hosts etc/hosts; rm data/hosts',
  'pivot_root . old; umount -l old',
  'rm opt/program; echo new > opt/added; echo kept > data/kept; : > data/empty; echo own > own',
  'echo ready; sleep 60',
].join('; ')

it('lists files of volumes, and those that an overlay changed', async () => {
  // The upper layer of an overlay cannot be in another overlay, such as that of this machine.
  const folder = mkdtempSync('/dev/shm/inspect-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const pid = await startProcess('unshare', '--mount', 'sh', '-c', `cd $1; ${CONTAINER_SCRIPT}`, 'sh', folder)
  const { fileStates, folders, mountedFiles, ...listed } = listFiles(pid)
  expect(listed).toEqual({
    files: ['/data/kept', '/opt/added', '/own'],
    deletedFiles: ['/opt/program'],
    changedFiles: [],
    unlinkedFiles: [],
    usedBytes: expect.any(Number),
  })
  const kept = { size: 5, mode: 0o100644, isOpen: false, inode: expect.any(Number) }
  expect(fileStates?.[0]).toMatchObject(kept)
  rmSync(join(folder, 'volume', 'kept'))
  expect(listFiles(pid).files).toEqual(['/opt/added', '/own'])
  writeFileSync(join(folder, 'volume', 'large'), Buffer.alloc(2 ** 20))
  expect(listFiles(pid).usedBytes).toBeGreaterThanOrEqual(2 ** 20)
})

/** Starts a container, which runs the script in its root file system once a file is written to the volume. */
const startContainer = async (script: string, earlier = ':') => {
  const folder = mkdtempSync('/dev/shm/inspect-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const wait = 'until [ -e data/go ]; do sleep 0.05; done'
  const commands = CONTAINER_SCRIPT.replace('rm opt/program; ', '').replace('; sleep 60', '')
  const prepare = 'mkdir lower; echo image > lower/script; chmod 755 lower/script; mkdir lower/sub'
  const started = commands
    .replace('mkdir lower upper', 'mkdir upper')
    .replace('echo ready', `${earlier}; echo ready`)
  const all = `${prepare}; ${started}; ${wait}; ${script}; : > data/done; sleep 60`
  const pid = await startProcess('unshare', '--mount', 'sh', '-c', `cd $1; ${all}`, 'sh', folder)
  const files = () => listFiles(pid)
  const runScript = async (): Promise<void> => {
    writeFileSync(join(folder, 'volume', 'go'), '')
    await expect.poll(() => existsSync(join(folder, 'volume', 'done'))).toBe(true)
  }
  return { files, runScript }
}

it.each([
  ['a program that was replaced', 'echo fake > new; mv new opt/script', ['/opt/script']],
  ['a program that was overwritten with more', 'echo image and more > opt/script', ['/opt/script']],
  ['a program that cannot be run any more', 'chmod 000 opt/script', ['/opt/script']],
  ['a folder that cannot be read any more', 'chmod 000 opt/sub', ['/opt/sub']],
  ['a link instead of a file', 'ln -sf script opt/other', ['/opt/other']],
  ['a folder instead of a file', 'rm opt/other; mkdir opt/other; echo x > opt/other/x', ['/opt/other']],
  ['a file that lost content', 'echo > opt/other', ['/opt/other']],
  ['a file with another owner', 'chown 7:8 opt/other', ['/opt/other']],
  ['a file with more content', 'echo more >> opt/other', ['/opt/other']],
  ['a file with other content of the same size', 'echo other > opt/other', ['/opt/other']],
  ['no file that was only opened, and no new one', ': >> opt/other; : > opt/sub/new', []],
])('finds in an image %s', async (_, script, expected) => {
  const { files, runScript } = await startContainer(script)
  expect(files().changedFiles).toEqual([])
  await runScript()
  expect(files().changedFiles).toEqual(expected)
})

it.each([
  ['the mode of a folder in a volume', 'chmod 000 data/sub', '/data/sub', '0 0:0'],
  ['the owner of the folder of a volume', 'chown 7:8 data', '/data', '755 7:8'],
  ['the mode of a folder that the image lacks', 'chmod 700 opt/new', '/opt/new', '700 0:0'],
])('reads %s', async (_, script, path, expected) => {
  const { files, runScript } = await startContainer(
    script,
    'mkdir data/sub opt/new; chmod 755 data data/sub opt/new',
  )
  expect(files().folders?.[path]).toBe('755 0:0')
  await runScript()
  expect(files().folders?.[path]).toBe(expected)
})

it.each([
  ['content', 'echo "192.0.2.1 cart" >> etc/hosts'],
  ['content of the same size', 'echo other > etc/hosts'],
  ['mode', 'chmod 600 etc/hosts'],
  ['owner', 'chown 7:8 etc/hosts'],
  ['place', 'mv etc other'],
])('finds a file that is mounted with another %s', async (_, script) => {
  const { files, runScript } = await startContainer(script)
  const before = files().mountedFiles
  expect(before).toEqual({ '/etc/hosts': expect.stringMatching(/^644 0:0 [0-9a-f]{16}$/) })
  expect(files().mountedFiles).toEqual(before)
  await runScript()
  expect(files().mountedFiles?.['/etc/hosts']).not.toBe(before?.['/etc/hosts'])
})

it('finds files that processes have open and that were replaced', async () => {
  const { files, runScript } = await startContainer(
    'exec 3>> data/kept 4>> own 5>> opt/other; echo x > data/new; mv data/new data/kept',
  )
  await runScript()
  expect(files().unlinkedFiles).toEqual(['/data/kept'])
  const { files: paths = [], fileStates = [] } = files()
  expect(paths.filter((_, index) => fileStates[index]?.isOpen)).toEqual(['/opt/other', '/own'])
})

it('tells that there are too many files to compare', async () => {
  const { files, runScript } = await startContainer('cd data; seq 5100 | xargs touch; cd /')
  expect(files()).not.toHaveProperty('hasTooManyFiles')
  await runScript()
  expect(files()).toMatchObject({ hasTooManyFiles: true })
  expect(files()).not.toHaveProperty('files')
})

it('lists no files of a process that has ended', () => {
  expect(listFiles(2 ** 30)).toEqual({
    deletedFiles: [],
    changedFiles: [],
    unlinkedFiles: [],
    usedBytes: 0,
  })
})
