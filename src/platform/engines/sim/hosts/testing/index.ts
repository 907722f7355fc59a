/** Public interface for tests of other rooms: the contract suite of the port ProgramResources. */
export * from './program-resources-contract.ts'
