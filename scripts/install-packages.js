/**
 * Installs the npm packages once per lock file, however many first uses happen at the same time.
 *
 * Plain JavaScript, because it runs before Node 24 is there. `--record` only notes what npm has just
 * installed; npm calls it so after any change of node_modules (the `dependencies` script).
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
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
const INSTALLED = join(ROOT, 'node_modules', '.remedium')
const STATE = join(ROOT, '.remedium')
const CLAIM = join(STATE, 'install.claim')
const LOG = join(STATE, 'install.log')
/** Milliseconds without a sign of life after which a claim counts as abandoned. */
const ABANDONED_AFTER = 30_000
const NODE_WANTED = 24

const say = (line) => process.stderr.write(`remedium: ${line}\n`)
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const majorOf = (version) => Number.parseInt(version.replace(/^v/, ''), 10)

const readText = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const isInstalled = () =>
  readText(join(INSTALLED, 'package-lock.json')) === readText(LOCK_FILE) &&
  spawnSync(join(INSTALLED, 'node'), ['--version']).status === 0

/** The Node from npm where there is one that runs here, otherwise the running one if it is new enough. */
const chooseNode = () => {
  const bundled = join('..', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (spawnSync(join(INSTALLED, bundled), ['--version']).status === 0) return bundled
  if (majorOf(process.versions.node) >= NODE_WANTED) return process.execPath
  throw new Error(
    `npm brings no Node ${NODE_WANTED} for ${process.platform} on ${process.arch} that runs here, and the one on the PATH is ${process.version}: install Node ${NODE_WANTED} or newer.`,
  )
}

const record = () => {
  rmSync(INSTALLED, { recursive: true, force: true })
  mkdirSync(INSTALLED, { recursive: true })
  const node = chooseNode()
  symlinkSync(node, join(INSTALLED, 'node'))
  copyFileSync(LOCK_FILE, join(INSTALLED, 'package-lock.json'))
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Takes away a claim whose owner is gone; puts it back when another process renewed it meanwhile. */
const dropAbandonedClaim = () => {
  const owner = readText(CLAIM)
  const age = Date.now() - (statSync(CLAIM, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (owner === undefined || (isAlive(Number(owner)) && age < ABANDONED_AFTER)) return
  const aside = `${CLAIM}.${process.pid}`
  try {
    renameSync(CLAIM, aside)
    if (readText(aside) !== owner) linkSync(aside, CLAIM)
    rmSync(aside)
  } catch {
    // another process was quicker: the next round looks again
  }
}

const claim = async () => {
  mkdirSync(STATE, { recursive: true })
  for (let round = 0; ; round += 1) {
    try {
      writeFileSync(CLAIM, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (round === 0) say('waiting for another first use to finish installing ...')
    dropAbandonedClaim()
    await pause(100)
  }
}

/** The reason in npm's own words: its error code and the first sentence that says more. */
const toCause = (output) => {
  const lines = [...output.matchAll(/^npm (?:ERR!|error) (.+)$/gm)].map((match) => match[1].trim())
  const code = lines.find((line) => line.startsWith('code '))?.slice('code '.length)
  const said = lines.find((line) => !/^(code|errno|syscall|path|dest|A complete log)\b/.test(line))
  return [code, said].filter(Boolean).join(': ') || output.trim().split('\n').at(-1) || 'npm said nothing'
}

const runNpm = () =>
  new Promise((resolve, reject) => {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
    const patience = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']
    const npm = spawn('npm', ['ci', ...quiet, ...patience], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => npm.kill(signal))
    npm.once('error', () => reject(new Error('npm must be on the PATH beside Node.js, and it is not.')))
    npm.once('close', (status, signal) => {
      if (status === 0) return resolve()
      writeFileSync(LOG, output)
      if (signal !== null) return reject(new Error(`the installation was stopped by ${signal}.`))
      reject(
        new Error(`the npm packages could not be installed (${toCause(output)}); all npm said is in ${LOG}`),
      )
    })
  })

const install = async () => {
  await claim()
  const begun = Date.now()
  const heartbeat = setInterval(() => {
    utimesSync(CLAIM, new Date(), new Date())
    say(`still installing (${Math.round((Date.now() - begun) / 1000)} s) ...`)
  }, 10_000)
  try {
    if (isInstalled()) return
    say('first use: installing the npm packages (about 500 MB on disk) ...')
    await runNpm()
    record()
    say(`installed in ${Math.round((Date.now() - begun) / 1000)} s`)
  } finally {
    clearInterval(heartbeat)
    rmSync(CLAIM, { force: true })
  }
}

try {
  if (majorOf(process.versions.node) < 20) {
    throw new Error(`Node.js 20 or newer must be on the PATH; this is ${process.version}.`)
  }
  if (process.argv.includes('--record')) record()
  else await install()
} catch (error) {
  say(error.message)
  process.exitCode = process.argv.includes('--record') ? 0 : 1
}
