/** Public interface of the start of a process: what an entry point calls before it imports anything else. */
export { shortenStart } from './shorten-start.ts'
