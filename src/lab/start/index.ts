/** Public interface for starting a process: an entry point calls it before it imports any other module. */
export { COMPILE_CACHE, shortenStart } from './shorten-start.ts'
