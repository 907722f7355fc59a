/** The pause image, which contains only its own program: no shell and no tools. */
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { lazily } from '#kit'
import type { ImageProgram, ProgramMount } from '../images/image-catalogue.ts'

/** The shared libraries that programs of the host need, including the dynamic loader. */
const librariesOf = (programs: readonly string[]): string[] => {
  const { stdout } = spawnSync('ldd', programs, { encoding: 'utf8' })
  return [...new Set([...stdout.matchAll(/(?:=> |^\t)(\/\S+)/gm)].map(([, path]) => path!))]
}

const bindProgram = (source: string, destination: string): ProgramMount => ({
  source: realpathSync(source),
  destination,
})

/** Reaps orphans and ends on SIGTERM. */
export const pauseProgram: () => ImageProgram = lazily(() => ({
  entrypoint: ['/pause', '-c', 'trap "exit 0" TERM INT; while :; do /wait 100000 & wait; done'],
  bare: true,
  mounts: [
    bindProgram('/bin/sh', '/pause'),
    bindProgram('/bin/sleep', '/wait'),
    ...librariesOf(['/bin/sh', '/bin/sleep']).map((path) => bindProgram(path, path)),
  ],
  user: 65_535,
  sizeBytes: 320_000,
}))
