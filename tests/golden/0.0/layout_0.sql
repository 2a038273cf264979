BEGIN TRANSACTION;
CREATE TABLE reaedp_charges (
	number INTEGER NOT NULL, 
	dataset TEXT NOT NULL, 
	budget TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	statistic TEXT NOT NULL, 
	mechanism TEXT NOT NULL, 
	price TEXT NOT NULL, 
	contract TEXT NOT NULL, 
	time TEXT NOT NULL, 
	author TEXT NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "reaedp_charges" VALUES(1,'census','{"epsilon":1.0,"delta":1e-12}','{"change":"add-remove","person":null,"max_rows":null,"at_least":null}','count of rows','noise','[[{"loss":"Pure","epsilon":0.1},2]]','0000000000000000000000000000000000000000000000000000000000000000','2020-01-01T00:00:00+00:00','grandmother');
INSERT INTO "reaedp_charges" VALUES(2,'survey','{"epsilon":5.0,"delta":1e-6}','{"change":"add-remove","person":null,"max_rows":null,"at_least":null}','count of rows','noise','[[{"loss":"Gaussian","mu":0.1},1]]','0000000000000000000000000000000000000000000000000000000000000000','2020-01-01T00:00:00+00:00','grandmother');
INSERT INTO "reaedp_charges" VALUES(3,'census','{"epsilon":1.0,"delta":1e-12}','{"change":"add-remove","person":null,"max_rows":null,"at_least":null}','count of rows','noise','[[{"loss":"Pure","epsilon":0.3},1]]','0000000000000000000000000000000000000000000000000000000000000000','2020-01-01T00:00:00+00:00','grandmother');
INSERT INTO "reaedp_charges" VALUES(4,'census','{"epsilon":2.0,"delta":1e-12}','{"change":"add-remove","person":null,"max_rows":null,"at_least":null}','count of rows','noise','[[{"loss":"Pure","epsilon":0.75},1]]','0000000000000000000000000000000000000000000000000000000000000000','2020-01-01T00:00:00+00:00','grandmother');
COMMIT;
