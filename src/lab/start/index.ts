/** Public interface for starting a process: an entry point calls it before it imports any other module. */
export { shortenStart } from './shorten-start.ts'
