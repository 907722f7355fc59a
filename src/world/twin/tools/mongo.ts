/** `mongo [db] -u user -p password --authenticationDatabase admin --eval 'db.runCommand({...})'`. */
import { runMongoShell } from './mongo-shell/run-mongo-shell.ts'

void runMongoShell(process.argv.slice(2))
