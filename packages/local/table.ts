import { CreateTableCommand, ResourceInUseException, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { SetupError } from "@reading-list/functions/compose/environment.ts";
import type { Table } from "@reading-list/store/client.ts";
import { dataVersion, findDataVersion, writeDataVersion } from "@reading-list/store/data-version.ts";
import { createTableInput, tableDefinition } from "@reading-list/store/table-definition.ts";

/** Creates the table if it does not exist. Throws a SetupError if another data version wrote it. */
export async function ensureTable(table: Table): Promise<void> {
  const { client, tableName } = table;
  try {
    await client.send(new CreateTableCommand(createTableInput(tableName)));
    const TimeToLiveSpecification = { AttributeName: tableDefinition.ttl, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    if (await isOutdated(table, `the table ${tableName}`)) {
      throw new SetupError(`the table ${tableName} was written by version 0.1.0; choose another TABLE_NAME`);
    }
  }
  await writeDataVersion(table);
}

/**
 * Whether version 0.1.0 wrote the table, so that it has to be converted. `place` names the table or its folder. Throws a
 * SetupError if a newer version wrote it.
 */
export async function isOutdated(table: Table, place: string): Promise<boolean> {
  const version = (await findDataVersion(table)) ?? dataVersion;
  if (version > dataVersion) {
    throw new SetupError(
      `${place} was written by a newer version of this service: its data version is ${version}, and this version reads up to ${dataVersion}; install the newer version`,
    );
  }
  return version < dataVersion;
}
