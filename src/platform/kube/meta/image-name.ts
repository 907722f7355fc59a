/** Normalises image names as container runtimes do. */
import { createHash } from 'node:crypto'

/** `busybox` becomes `docker.io/library/busybox:latest`. */
export const fullImageName = (image: string): string => {
  const slash = image.indexOf('/')
  const host = slash < 0 ? '' : image.slice(0, slash)
  const hasHost = host.includes('.') || host.includes(':') || host === 'localhost'
  const path = slash < 0 ? `docker.io/library/${image}` : hasHost ? image : `docker.io/${image}`
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last.includes(':') || last.includes('@') ? path : `${path}:latest`
}

/** A deterministic image id such as `docker.io/library/busybox@sha256:...`. */
export const imageIdOf = (image: string): string => {
  const full = fullImageName(image)
  const name = full.replace(/[@:][^/]*$/, '')
  return `${name}@sha256:${createHash('sha256').update(full).digest('hex')}`
}
