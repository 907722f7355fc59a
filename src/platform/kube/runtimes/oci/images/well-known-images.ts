/** A catalogue of well-known images. Programs of this machine, and a few of Remedium, run in their place. */

import { PROGRAM_FOLDER } from '#machine/oci'
import { programPath } from '#platform/images'
import { wellKnownRepository } from '#platform/kube/containers'
import { pauseProgram } from '../containers/pause-program.ts'
import type { ImageCatalogue, ImageProgram } from './image-catalogue.ts'

const NODE = `${PROGRAM_FOLDER}/bin/node`
/** The PATH of containers that do not set one. */
export const SEARCH_PATH = `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${PROGRAM_FOLDER}/bin`

/** An entrypoint that runs `program` if the first argument is an option or not a program, like docker-entrypoint.sh. */
const entrypointWithDefault = (program: string): readonly string[] => [
  '/bin/sh',
  '-c',
  `if [ "\${1#-}" != "$1" ] || ! command -v "$1" > /dev/null; then set -- ${program} "$@"; fi; exec "$@"`,
  'entrypoint',
]

const webServer = (
  server: string,
  root: string,
  welcome: string,
  stopSignal: NodeJS.Signals,
): ImageProgram => ({
  // SIGUSR1 must not open Node's debugger.
  entrypoint: [NODE, '--disable-sigusr1', `${PROGRAM_FOLDER}/web-server.ts`],
  environment: { WEB_SERVER: JSON.stringify({ server, root, port: 80, welcome }) },
  mounts: [{ source: programPath('web-server'), destination: `${PROGRAM_FOLDER}/web-server.ts` }],
  stopSignal,
  sizeBytes: 72_000_000,
})

const shell = (command: string, sizeBytes: number): ImageProgram => ({
  entrypoint: [],
  command: [command],
  sizeBytes,
})

const programs: Readonly<Record<string, ImageProgram | (() => ImageProgram)>> = {
  'docker.io/library/busybox': shell('sh', 2_200_000),
  'docker.io/library/alpine': shell('/bin/sh', 3_600_000),
  'docker.io/library/debian': shell('bash', 48_000_000),
  'docker.io/library/ubuntu': shell('/bin/bash', 29_000_000),
  'docker.io/library/python': shell('python3', 130_000_000),
  'docker.io/library/node': {
    entrypoint: entrypointWithDefault('node'),
    command: ['node'],
    // Takes precedence over a node in the host's /usr.
    environment: { PATH: `${PROGRAM_FOLDER}/bin:${SEARCH_PATH}` },
    sizeBytes: 160_000_000,
  },
  'docker.io/curlimages/curl': {
    entrypoint: entrypointWithDefault('curl'),
    command: ['curl'],
    user: 100,
    sizeBytes: 9_800_000,
  },
  'docker.io/library/nginx': webServer('nginx', '/usr/share/nginx/html', 'Welcome to nginx!', 'SIGQUIT'),
  'docker.io/library/httpd': webServer('Apache', '/usr/local/apache2/htdocs', 'It works!', 'SIGWINCH'),
  'registry.k8s.io/pause': pauseProgram,
  'docker.io/library/pause': pauseProgram,
}

/** The default images of a cluster. */
export const wellKnownImages: ImageCatalogue = (image) => {
  const repository = wellKnownRepository(image)
  const program = repository === undefined ? undefined : programs[repository]
  return typeof program === 'function' ? program() : program
}
