import { Module } from '@nestjs/common';
import { ExportFiles } from './export-files.js';
import { ExportTaxesHandler } from './export-taxes.handler.js';
import { TaxExportsController } from './tax-exports.controller.js';

/** What the web process needs of the exports. */
@Module({ controllers: [TaxExportsController], providers: [ExportFiles] })
export class TaxExportsWebModule {}

/** What a worker needs of them. */
@Module({ providers: [ExportFiles, ExportTaxesHandler] })
export class TaxExportsWorkerModule {}
