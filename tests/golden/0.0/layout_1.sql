BEGIN TRANSACTION;
CREATE TABLE reaedp_accounts (
	dataset TEXT NOT NULL, 
	state TEXT NOT NULL, 
	seal TEXT NOT NULL, 
	PRIMARY KEY (dataset)
);
INSERT INTO "reaedp_accounts" VALUES('within','{"last":5,"scopes":{"":{"certificate":[0.0,0.0,0],"fingerprint":"fbd609b0e5ff3f88afc0ceabe0757e59048bf91d55b1e5f3d339c668533fcd89","others":[[{"delta":1e-08,"epsilon":0.1,"loss":"Approximate"},1],[{"loss":"Gaussian","mu":0.05},1],[{"loss":"UnitGaussian","variance":400.0},1]],"pure":"1/4"},"sex=F":{"certificate":[0.0,0.0,0],"fingerprint":"0211bfd12bbfa4be8ff36c196b00d122afbdccc807983bd885813986854db084","others":[[{"delta":1e-08,"epsilon":0.1,"loss":"Approximate"},1],[{"loss":"Gaussian","mu":0.05},1],[{"loss":"UnitGaussian","variance":400.0},1]],"pure":"3/10"}},"terms":1}','b159992b751a25655bd16e5c4d6b43adec47ac1ebff13fb12605add9716410c4');
INSERT INTO "reaedp_accounts" VALUES('beyond','{"last":9,"scopes":{"":{"certificate":[0.9972295421393623,9.921875e-07,9],"fingerprint":"155988ed8da6fb5b2adeb145f82f375888c2e48acdecb6ddfc776e0667d18daf","others":[],"pure":"0"}},"terms":6}','27751537c05a00c45a8df7c486ecbf748fafd97e19df9014b5853fdae9579478');
CREATE TABLE reaedp_entries (
	number INTEGER NOT NULL, 
	dataset TEXT, 
	body TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	finished INTEGER, 
	PRIMARY KEY (number)
);
INSERT INTO "reaedp_entries" VALUES(1,'within','{"act":{"budget":{"delta":1e-06,"epsilon":1.0},"dataset":"within","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"register","number":1,"previous":"208d569937865bc8fa3503c4a27e33617efaf1d5e17883095600fe24c1b3d44c","time":"2026-11-16T22:00:11.576508+00:00","user":"root","version":"0.1.0"}','8f500375154c6654da7e01d79bd0747df12dcdd5c8e02e06ded5948b28d26dec',NULL);
INSERT INTO "reaedp_entries" VALUES(2,'within','{"act":{"contract":"0000000000000000000000000000000000000000000000000000000000000000","dataset":"within","mechanism":"discrete Laplace","part":null,"price":[[{"epsilon":0.25,"loss":"Pure"},1]],"statistic":"count of rows","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"charge","number":2,"previous":"8f500375154c6654da7e01d79bd0747df12dcdd5c8e02e06ded5948b28d26dec","time":"2026-11-16T22:00:11.625263+00:00","user":"root","version":"0.1.0"}','838a22d9b2afb782eafd55eb55df7d77367618fe82a940790ad4fffbb0f05db0',NULL);
INSERT INTO "reaedp_entries" VALUES(3,'within','{"act":{"contract":"0000000000000000000000000000000000000000000000000000000000000000","dataset":"within","mechanism":"discrete Laplace","part":null,"price":[[{"loss":"Gaussian","mu":0.05},1],[{"loss":"UnitGaussian","variance":400.0},1]],"statistic":"count of rows","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"charge","number":3,"previous":"838a22d9b2afb782eafd55eb55df7d77367618fe82a940790ad4fffbb0f05db0","time":"2026-11-16T22:00:11.625263+00:00","user":"root","version":"0.1.0"}','52133e9a8b75f862d815bc6f88fa2941998db1d6c09ca8a7aa289391ae66e439',10);
INSERT INTO "reaedp_entries" VALUES(4,'within','{"act":{"contract":"0000000000000000000000000000000000000000000000000000000000000000","dataset":"within","mechanism":"discrete Laplace","part":null,"price":[[{"delta":1e-08,"epsilon":0.1,"loss":"Approximate"},1]],"statistic":"count of rows","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"charge","number":4,"previous":"52133e9a8b75f862d815bc6f88fa2941998db1d6c09ca8a7aa289391ae66e439","time":"2026-11-16T22:00:11.645401+00:00","user":"root","version":"0.1.0"}','604afc117a541ee6f5ec405ea96191dcf94f7a241e881728daac953fb976e2ec',NULL);
INSERT INTO "reaedp_entries" VALUES(5,'within','{"act":{"contract":"0000000000000000000000000000000000000000000000000000000000000000","dataset":"within","mechanism":"discrete Laplace","part":"sex=F","price":[[{"epsilon":0.05,"loss":"Pure"},1]],"statistic":"count of rows","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"charge","number":5,"previous":"604afc117a541ee6f5ec405ea96191dcf94f7a241e881728daac953fb976e2ec","time":"2026-11-16T22:00:11.667841+00:00","user":"root","version":"0.1.0"}','704c0037e716220af7b0e4c367a1122fe3860c9d3ef0c9f7484219e6d3df2516',NULL);
INSERT INTO "reaedp_entries" VALUES(6,'beyond','{"act":{"budget":{"delta":1e-06,"epsilon":1.0},"dataset":"beyond","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"register","number":6,"previous":"704c0037e716220af7b0e4c367a1122fe3860c9d3ef0c9f7484219e6d3df2516","time":"2026-11-16T22:00:11.685326+00:00","user":"root","version":"0.1.0"}','89337f38473ea9cecfa31df7849d3352b430534597e05e683ab109ec7373b4f6',NULL);
INSERT INTO "reaedp_entries" VALUES(7,'beyond','{"act":{"contract":"0000000000000000000000000000000000000000000000000000000000000000","dataset":"beyond","mechanism":"discrete Laplace","part":null,"price":[[{"epsilon":0.1,"loss":"Pure"},1]],"statistic":"count of rows","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"charge","number":7,"previous":"89337f38473ea9cecfa31df7849d3352b430534597e05e683ab109ec7373b4f6","time":"2026-11-16T22:00:11.699710+00:00","user":"root","version":"0.1.0"}','3b7cf7a7dc90a19e2e2dfde836a7fbbd3caa891e5de11b3d564079d96ffc1532',NULL);
INSERT INTO "reaedp_entries" VALUES(8,'beyond','{"act":{"contract":"0000000000000000000000000000000000000000000000000000000000000000","dataset":"beyond","mechanism":"discrete Laplace","part":null,"price":[[{"loss":"Gaussian","mu":0.02},61]],"statistic":"count of rows","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"charge","number":8,"previous":"3b7cf7a7dc90a19e2e2dfde836a7fbbd3caa891e5de11b3d564079d96ffc1532","time":"2026-11-16T22:00:12.358758+00:00","user":"root","version":"0.1.0"}','d8b0e860fdce195571395ccb0622040bc50e82f3ebaf6546aad16fc3a624a2e0',NULL);
INSERT INTO "reaedp_entries" VALUES(9,'beyond','{"act":{"contract":"0000000000000000000000000000000000000000000000000000000000000000","dataset":"beyond","mechanism":"discrete Laplace","part":null,"price":[[{"loss":"Gaussian","mu":0.02},61]],"statistic":"count of rows","unit":{"at_least":null,"change":"add-remove","max_rows":null,"person":null}},"kind":"charge","number":9,"previous":"d8b0e860fdce195571395ccb0622040bc50e82f3ebaf6546aad16fc3a624a2e0","time":"2026-11-16T22:00:12.358758+00:00","user":"root","version":"0.1.0"}','fbbaeb34fd658bcff85e69ed6d00ad87e786e208d6eaace4d5cd29f063372d69',NULL);
INSERT INTO "reaedp_entries" VALUES(10,NULL,'{"act":{"entries":[3]},"kind":"finish","number":10,"previous":"fbbaeb34fd658bcff85e69ed6d00ad87e786e208d6eaace4d5cd29f063372d69","time":"2026-11-16T22:00:12.387761+00:00","user":"root","version":"0.1.0"}','a31047e7cd272b4362675223d4891051eddb0c708b61bc794e1bac8dc7e4c25d',NULL);
CREATE TABLE reaedp_ledger (
	version INTEGER NOT NULL, 
	identity TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	hash TEXT NOT NULL
);
INSERT INTO "reaedp_ledger" VALUES(1,'166e567802ea1ac1de2019b3943733f9',10,'a31047e7cd272b4362675223d4891051eddb0c708b61bc794e1bac8dc7e4c25d');
CREATE TABLE reaedp_tallies (
	dataset TEXT NOT NULL, 
	part TEXT NOT NULL, 
	loss TEXT NOT NULL, 
	count INTEGER NOT NULL, 
	PRIMARY KEY (dataset, part, loss)
);
INSERT INTO "reaedp_tallies" VALUES('within','','{"epsilon":0.25,"loss":"Pure"}',1);
INSERT INTO "reaedp_tallies" VALUES('within','','{"loss":"Gaussian","mu":0.05}',1);
INSERT INTO "reaedp_tallies" VALUES('within','','{"loss":"UnitGaussian","variance":400.0}',1);
INSERT INTO "reaedp_tallies" VALUES('within','','{"delta":1e-08,"epsilon":0.1,"loss":"Approximate"}',1);
INSERT INTO "reaedp_tallies" VALUES('within','sex=F','{"epsilon":0.05,"loss":"Pure"}',1);
INSERT INTO "reaedp_tallies" VALUES('beyond','','{"epsilon":0.1,"loss":"Pure"}',1);
INSERT INTO "reaedp_tallies" VALUES('beyond','','{"loss":"Gaussian","mu":0.02}',122);
CREATE INDEX reaedp_entries_by_dataset ON reaedp_entries (dataset, number);
COMMIT;
