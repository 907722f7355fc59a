/**
 * Installs the npm packages once per lock file, even if several processes start at the same time.
 *
 * Plain JavaScript, because it runs before Node.js 24 is installed. `--for-tests` also installs the packages for development.
 * `--record` only records what npm has installed; npm runs it after every change of node_modules, as the `dependencies` script.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LOCK_FILE = join(ROOT, 'package-lock.json')
const RECORD_FOLDER = join(ROOT, 'node_modules', '.remedium')
/** Exists if the packages for development are installed. */
const TEST_MARK = join(RECORD_FOLDER, 'for-tests')
const TEST_PACKAGE = join(ROOT, 'node_modules', 'vitest', 'package.json')
const FOR_TESTS = process.argv.includes('--for-tests')
const STATE = join(ROOT, '.remedium')
const CLAIM = join(STATE, 'install.claim')
const LOG = join(STATE, 'install.log')
/** A claim that has not been renewed for this long counts as abandoned. */
const ABANDONED_AFTER_MS = 30_000
const MIN_NODE = 24

const report = (line) => process.stderr.write(`remedium: ${line}\n`)
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const majorOf = (version) => Number.parseInt(version.replace(/^v/, ''), 10)

const readText = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const isCurrent = () =>
  readText(join(RECORD_FOLDER, 'package-lock.json')) === readText(LOCK_FILE) &&
  spawnSync(join(RECORD_FOLDER, 'node'), ['--version']).status === 0

const isInstalled = () => isCurrent() && (!FOR_TESTS || existsSync(TEST_MARK))

/** The Node.js that npm installed if it runs here, otherwise the current one if it is new enough. */
const chooseNode = () => {
  const bundled = join('..', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (spawnSync(join(RECORD_FOLDER, bundled), ['--version']).status === 0) return bundled
  if (majorOf(process.versions.node) >= MIN_NODE) return process.execPath
  throw new Error(
    `npm provides no Node.js ${MIN_NODE} for ${process.platform} on ${process.arch} that runs on this machine, and the one on the PATH is ${process.version}: install Node.js ${MIN_NODE} or newer.`,
  )
}

const recordInstallation = () => {
  rmSync(RECORD_FOLDER, { recursive: true, force: true })
  mkdirSync(RECORD_FOLDER, { recursive: true })
  const node = chooseNode()
  symlinkSync(node, join(RECORD_FOLDER, 'node'))
  if (existsSync(TEST_PACKAGE)) writeFileSync(TEST_MARK, '')
  copyFileSync(LOCK_FILE, join(RECORD_FOLDER, 'package-lock.json'))
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Removes an abandoned claim; restores the claim if another process has taken it in the meantime. */
const dropAbandonedClaim = () => {
  const owner = readText(CLAIM)
  const age = Date.now() - (statSync(CLAIM, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (owner === undefined || (isAlive(Number(owner)) && age < ABANDONED_AFTER_MS)) return
  const aside = `${CLAIM}.${process.pid}`
  try {
    renameSync(CLAIM, aside)
    if (readText(aside) !== owner) linkSync(aside, CLAIM)
    rmSync(aside)
  } catch {
    // Another process has already removed the claim: the next round checks again.
  }
}

const waitForClaim = async () => {
  mkdirSync(STATE, { recursive: true })
  for (let round = 0; ; round += 1) {
    try {
      writeFileSync(CLAIM, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (round === 0) report('waiting for another process that is installing the npm packages ...')
    dropAbandonedClaim()
    await pause(100)
  }
}

/** The reason that npm printed: its error code and the first line of the message. */
const toCause = (output) => {
  const lines = [...output.matchAll(/^npm (?:ERR!|error) (.+)$/gm)].map((match) => match[1].trim())
  const code = lines.find((line) => line.startsWith('code '))?.slice('code '.length)
  const message = lines.find((line) => !/^(code|errno|syscall|path|dest|A complete log)\b/.test(line))
  return (
    [code, message].filter(Boolean).join(': ') || output.trim().split('\n').at(-1) || 'npm printed nothing'
  )
}

/** Only adds packages if the installed ones are current: `npm ci` would first remove all, even while a command uses them. */
const npmCommand = () => {
  if (isCurrent()) return ['install', '--no-save', '--include=dev']
  return FOR_TESTS ? ['ci', '--include=dev'] : ['ci', '--omit=dev']
}

const runNpm = () =>
  new Promise((resolve, reject) => {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
    const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']
    const npm = spawn('npm', [...npmCommand(), ...quiet, ...retries], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => npm.kill(signal))
    npm.once('error', () => reject(new Error('npm must be on the PATH, but it was not found.')))
    npm.once('close', (status, signal) => {
      if (status === 0) return resolve()
      writeFileSync(LOG, output)
      if (signal !== null) return reject(new Error(`the installation was stopped by ${signal}.`))
      reject(
        new Error(
          `the npm packages could not be installed (${toCause(output)}); the output of npm is in ${LOG}`,
        ),
      )
    })
  })

/** Checks again when it has the claim, because another process may have installed the packages. */
const install = async () => {
  await waitForClaim()
  const started = Date.now()
  const heartbeat = setInterval(() => {
    utimesSync(CLAIM, new Date(), new Date())
    report(`still installing (${Math.round((Date.now() - started) / 1000)} s) ...`)
  }, 10_000)
  try {
    if (isInstalled()) return
    report(
      FOR_TESTS
        ? 'first test or check: installing the npm packages for development (about 580 MB on disk in total) ...'
        : 'first use: installing the npm packages (about 310 MB on disk) ...',
    )
    await runNpm()
    recordInstallation()
    report(`installed in ${Math.round((Date.now() - started) / 1000)} s`)
  } finally {
    clearInterval(heartbeat)
    rmSync(CLAIM, { force: true })
  }
}

try {
  if (majorOf(process.versions.node) < 20) {
    throw new Error(`Node.js 20 or newer must be on the PATH; this is ${process.version}.`)
  }
  if (process.argv.includes('--record')) recordInstallation()
  else if (!isInstalled()) await install()
} catch (error) {
  report(error.message)
  process.exitCode = process.argv.includes('--record') ? 0 : 1
}
